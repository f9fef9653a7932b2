"""Chat models: every entry of `models:` with `kind: chat`, asked over its endpoint or over a server started for it.

INPUTS   results/episodes/, config/prompts/; the endpoint of the entry, its key in the environment (docs/models.md)
OUTPUTS  results/predictions/{model}/{split}.parquet, trajectories/{model}/{split}.jsonl.zst
         (results/.cache/chat/{model}.jsonl keeps the answers; never an input)
STEPS    predict_chat serve_and_predict
"""

from tirec.config.chat import ChatPredictionConfig

SERVED_MODELS = [name for name in CHAT_MODELS if STUDY.models[name].serve]
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
        model="|".join(name for name in CHAT_MODELS if name not in SERVED_MODELS) or "(?!)",
    conda:
        "../../envs/cpu.yaml"
    resources:
        mem_mb=4000,
        runtime=1440,
    params:
        code=code("predict_chat"),
        prompts=[PROMPTS, CHAT_PROMPTS],
        data_class=DATA_CLASS,
        settings=lambda wildcards: chat_prediction(wildcards.model).model_dump_json(),
        train=lambda wildcards, input: f"--train {input.train}" if input.train else "",
    shell:
        "$TIREC_PYTHON $TIREC_HOME/scripts/predict_chat.py --model {wildcards.model} {params.train} --episodes {input.episodes}"
        " --predictions results/predictions/{wildcards.model} --trajectories results/trajectories/{wildcards.model}"
        " --cache results/.cache/chat/{wildcards.model}.jsonl --log-server {log.server}"
        " --settings {params.settings:q} --data-class {params.data_class} > {log.main} 2>&1"


use rule predict_chat as serve_and_predict with:
    log:
        main="logs/serve_and_predict/{model}.log",
        server="logs/serve_and_predict/{model}.server.log",
    benchmark:
        "results/benchmarks/serve_and_predict/{model}.jsonl"
    wildcard_constraints:
        model="|".join(SERVED_MODELS) or "(?!)",
    resources:
        gpu=lambda wildcards: STUDY.models[wildcards.model].serve.gpus,
        slurm_partition=lambda wildcards: partition(STUDY.models[wildcards.model].serve.gpus),
        mem_mb=64000,
        runtime=1440,
