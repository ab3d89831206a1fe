"""
Releases of Pulsar that decide by equal classes: ``python -m tools.equal_classes FOLDER`` writes it.

A row has a letter for each release. Equal letters: equal code but for logging; -: no such class; ?: not measured.
"""

from typing import Final

from oneowner.model.kernel.variants import Variants

VARIANTS: Final = Variants(
    tuple(
        """
        2.6.0 2.6.1 2.6.2 2.6.4 2.7.0 2.7.1 2.7.2 2.7.3 2.7.4 2.7.5 2.8.0 2.8.1 2.8.2 2.9.0 2.9.1 2.10.0 2.10.1
        2.10.2 2.10.3 2.10.4 2.10.5 2.11.0 3.0.0 3.0.2 3.0.7 3.1.0 3.1.2 3.2.0 3.2.2 3.2.3 3.3.2 3.3.5 3.3.6 4.0.0
        4.0.1 4.0.2 4.0.4 4.0.5 4.0.6 4.0.7 4.0.8 4.2.4 5.0.0-M1 5.0.1
        """.split()
    ),
    {
        "LocalBrokerData": "aaaaaaaaaabbbbbbbcccccdddddddddddeeeeeeeeeee",
        "LoadData": "aaaaaaaaaaaaaaabbbbbbccddedddddddddddddddfff",
        "OverloadShedder": "aaaaaaaaaabbcdefggggghiiiiiiiiiiijjjjjjjjjkk",
        "ThresholdShedder": "aaaaaaaaaabbcdefghgggijjjjjjjjjjklllmmmmmmnn",
        "UniformLoadShedder": "---------------abbbbbccddcdddddddddddddddeff",
        "AvgShedder": "------------------------a-----aaabbbbbbbccde",
        "TransferShedder": "----------------------abcbbbbccddcdddeeeefgg",
        "LeastLongTermMessageRate": "aaaaaaaaaabbbbaabbbbbccccccccccccddddddddddd",
        "LeastResourceUsageWithWeight": "---------------------abbbbbbbbbbbcccccccccdd",
        "RoundRobinBrokerSelector": "----------------------aaaaaaaaaaaaaaaaaaaaaa",
        "BrokerLoadData": "----------------------aaaaaaaabbbccccccccccc",
        "TopKBundles": "----------------------abbabbbbcddefffffffggg",
        "LeastResourceUsageWithWeight of extensions": "----------------------aaaaaaaabbbbbbbbbbbbcc",
        "BundleSplitterTask": "aaaaaaaaaaaabccddeeeefgggggggggggggggggggghh",
        "DefaultNamespaceBundleSplitStrategyImpl": "----------------------aaaaaaaaaaaaaaaaaaaabb",
        "split algorithms": "aaaaaaaaaaaaaaaaaaaaabcccccccccccccccccccccd",
        "NamespaceBundles": "aaaabbbbbbccdeeeeeeeefggghhhhhhiihhjiiiiikkk",
        "LoadSheddingTask": "aaaaaaaaabccccabdeeeeffgggggggggghhhhhhhijjk",
        "UnloadScheduler": "----------------------aaaaaaaaaaaaaaaaaaaabb",
        "selectBroker": "aaaabbbbbbcccdefghhhhijklkmnnnoppqq?rrrrrstu",
        "channel": "----------------------abcdefghijjkkkklmmnopq",
        "channel records": "----------------------abbbbbbbbccddddeeeeeff",
        "channel topic": "---------------------------------aaaaabbbcdd",
        "channel store": "---------------------------------aaaaabbbccd",
        "channel syncer": "---------------------------------aaaaabbbccc",
        "BrokerRegistryImpl": "----------------------aabaabbbcddeeeeeeeffgh",
        "ExtensibleLoadManagerImpl": "----------------------abcdbefghiijkkkkkkklmn",
        "extensible managers": "----------------------abcdbbbeffffffffffffgh",
        "TableViewLoadDataStoreImpl": "----------------------aabaacdebffffffffffgfg",
        "reporters": "----------------------aabaabbbccccccccccccdd",
        "strategic compaction": "----------------------abbabbbbcbbddddddddefg",
        "TableViewImpl": "??????????????????????abcbbdeefgggggggggghij",
        "OwnershipCache": "aabbbbbbbbccdefghhiiijkklkkmmmnoonoooopppqrs",
        "lookups": "abccddddddeefghhijjjklmnopqrrstttuuuuuuuvwxy",
        "unloads and splits": "aabbccccccdddefghiiiijklmnnnnopppppppppppqqr",
        "roles of the modular manager": "aaaaabbcccdeeffghhijklmnopqrrrsttuuuvvvvvwxy",
        "starts and stops": "aaaaaaaaaabcdefghijklmnopqrsstuvwxyyzABCDEFG",
        "locks": "??????????aabcdefghhhijjkjjjjklllllllllllmmn",
        "LeaderElectionImpl": "??????????aabcddefghhijjkjjjjjlllllllllllmmn",
        "LeaderElectionService": "aabbbbbbbbccccccccccccddeddeeeeeeeeeeeeeeeee",
        "CoordinationServiceImpl": "??????????aaabccdeeeefffgffffggggggggggggggh",
        "MetadataCacheImpl": "??????????aaabcdefggghiiiiiiiijkkll???mmmnop",
        "AbstractMetadataStore": "??????????aaabcdeeeefghijiiiiijjjjjjjjjkklmn",
        "MetadataStoreTableViewImpl": "??????????-----------------------aa???bbbccd",
        "ZKSessionWatcher": "??????????aabcddddddefghhhhhhhhhhhhhhhhhhiij",
        "weights": "aaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbccccccccccc",
        "thresholds": "aaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbb",
        "UniformLoadShedder's thresholds": "---------------aaaaaabbbbbbbbbbbbbbbbbbbbbbc",
        "AvgShedder's thresholds": "------------------------a-----aaaaaaaaaaaaaa",
        "TransferShedder's thresholds": "----------------------aaaaaaaaaaaaaaaaaaaaaa",
        "placement thresholds": "---------------------aaaaaaaaaaaaaaaaaaaaaaa",
        "reports": "aaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbb",
        "split limits": "aaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbb",
    },
)
