"""stub"""

EXAMPLES = ()


def add(parser):
    parser.add_argument("shell")


def run(options):
    return 0
