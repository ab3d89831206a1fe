"""
Clusters may share a ZooKeeper, and so its history: every other file belongs to the cluster whose brokers it names.

The files of a folder are shared out among its clusters where no manifest names one. Only clusters with a file of their
own are judged; if no file names a broker, each is, by the history.
"""

from collections.abc import Sequence
from pathlib import Path

from oneowner.checkers.recordings.fold.file_names import OTHER, ZOOKEEPER
from oneowner.checkers.recordings.read.chroots import Clusters, cluster_of


def shared_out(files: Sequence[Path], clusters: Clusters) -> dict[str, list[Path]]:
    """Return the files of each cluster, by its chroot: its own, those of all, and to the first those of nobody."""
    history = [file for file in files if ZOOKEEPER.fullmatch(file.name)]
    of_all = [file for file in files if OTHER.fullmatch(file.name)]
    of = {file: cluster_of(str(file), clusters) for file in files if file not in history}
    named = {root for file, root in of.items() if file not in of_all} - {None} or {*of.values()} - {None}
    roots = sorted(root for root in named or clusters if root is not None)
    return {
        root: [
            file
            for file in files
            if file in history or file in of_all or of[file] == root or (of[file] is None and root == roots[0])
        ]
        for root in roots
    }
