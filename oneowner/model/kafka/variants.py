"""
Releases of Kafka that decide by equal classes: ``python -m tools.equal_classes FOLDER`` writes it.

A row has a letter for each release. Equal letters: equal code but for logging; -: no such class; ?: not measured.
"""

from typing import Final

from oneowner.model.kernel.variants import Variants

VARIANTS: Final = Variants(
    tuple(
        """
        2.6.0 2.6.1 2.6.2 2.6.3 2.7.0 2.7.1 2.7.2 2.8.0 2.8.1 2.8.2 3.0.0 3.0.1 3.0.2 3.1.0 3.1.1 3.1.2 3.2.0 3.2.1
        3.2.2 3.2.3 3.3.0 3.3.1 3.3.2 3.4.0 3.4.1 3.5.0 3.5.1 3.5.2 3.6.0 3.6.1 3.6.2 3.7.0 3.7.1 3.7.2 3.8.0 3.8.1
        3.9.0 3.9.1 3.9.2 4.0.0 4.0.1 4.0.2 4.1.0 4.1.1 4.1.2 4.2.0 4.2.1 4.2.2 4.3.0 4.3.1 4.4.0
        """.split()
    ),
    {
        "assignors": "aaaabbbbbbcccdddeeeeffffggghiiijjjkkkkkllllllllllll",
        "racks": "----------------------------abbcccdddddeeefffffffff",
        "TaskId": "aaaaaaaaaabbbccccccccccccccccccccccccccdddddddddddd",
        "assignors of the API": "----------------------------------aaaaabbbccccccccd",
        "StickyTaskAssignor of a streams group": "???????????????????????????????????????---aaabbcbbd",
        "CurrentAssignmentBuilder": "???????????????????????????????????????---aaabbbbbc",
    },
)
