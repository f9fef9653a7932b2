"""A process group of one: verl's workers expect to have been started by its launcher."""

import os
import tempfile

os.environ.update(RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
os.environ["DIST_INIT_METHOD"] = f"file://{tempfile.mkdtemp()}/group"
