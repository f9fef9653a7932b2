"""Chat models: every entry of `models:` with `kind: chat`, asked over its endpoint or over a server started for it.

INPUTS   results/episodes/, config/prompts/; the endpoint of the entry, its key in the environment (docs/models.md)
OUTPUTS  results/predictions/{model}/{split}.parquet, trajectories/{model}/{split}.jsonl.zst
         (results/.cache/chat/{model}.jsonl keeps the answers; never an input)
STEPS    predict_chat
"""

from tirec.config.chat import ChatPredictionConfig

CHAT_PROMPTS = or_stop(documents, "config/prompts/chat", "*.j2", "prompt templates")


rule predict_chat:
    """One chat model's answers to every validation and test case; killed, it goes on with the answers it has."""
    input:
        train=lambda wildcards: (
            "results/episodes/train.arrow" if STUDY.models[wildcards.model].variant == "few_shot" else []
        ),
        episodes=expand("results/episodes/{split}.arrow", split=["validation", "test"]),
    output:
        predictions=expand("results/predictions/{{model}}/{split}.parquet", split=["validation", "test"]),
        trajectories=expand("results/trajectories/{{model}}/{split}.jsonl.zst", split=["validation", "test"]),
    log:
        main="logs/predict_chat/{model}.log",
        server="logs/predict_chat/{model}.server.log",
    benchmark:
        "results/benchmarks/predict_chat/{model}.jsonl"
    wildcard_constraints:
        model="|".join(CHAT_MODELS) or "(?!)",
    conda:
        "../../envs/cpu.yaml"
    resources:
        gpu=lambda wildcards: server_of(wildcards).gpus if server_of(wildcards) else 0,
        mem_mb=lambda wildcards: 64000 if server_of(wildcards) else 4000,
        runtime=1440,
    params:
        code=code("predict_chat"),
        prompts=[PROMPTS, CHAT_PROMPTS],
        data_class=DATA_CLASS,
        settings=chat_settings,
        train=lambda wildcards, input: f"--train {input.train}" if input.train else "",
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/predict_chat.py --model {wildcards.model} {params.train} --episodes {input.episodes}"
        " --predictions results/predictions/{wildcards.model} --trajectories results/trajectories/{wildcards.model}"
        " --cache results/.cache/chat/{wildcards.model}.jsonl --log-server {log.server}"
        " --settings {params.settings:q} --data-class {params.data_class} > {log.main} 2>&1"
