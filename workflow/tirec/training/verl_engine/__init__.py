"""GRPO by verl: FSDP2 trains, vLLM plays, Ray joins the processes; our episode, reward, schedule and selection.

verl is used as a library through its registries: an agent loop, an advantage estimator and a trainer subclass. On a
machine without a GPU `cpu_*` lend it a platform and a rollout, so that the same trainer runs in tests.
"""
