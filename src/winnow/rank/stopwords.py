"""Words that a query can do without."""

from typing import Final

# Folded, with the plain apostrophe. Only function words: nothing that a memory could be about.
_WORDS: Final = """
a about after again all also am an and any are aren't as at be because been before being
between both but by can can't could couldn't did didn't do does doesn't doing don't during
each else ever for from further had hadn't has hasn't have haven't having he he'd he'll he's
her here hers herself him himself his how how's i i'd i'll i'm i've if in into is isn't it
it'd it'll it's its itself just let's me might more most must my myself no nor not of off on
once only or other our ours ourselves out over own same shall she she'd she'll she's should
shouldn't so some such than that that's the their theirs them themselves then there there's
these they they'd they'll they're they've this those through to too under until up upon
very was wasn't we we'd we'll we're we've were weren't what what's when when's where where's
whether which while who who's whom whose why why's with within without won't would
wouldn't you you'd you'll you're you've your yours yourself yourselves
"""
STOP_WORDS: Final = frozenset(_WORDS.split())
