"""NAME: counts the words of a text, and writes what it counted.

Change what it does; `aura agent check agents.d/NAME.toml` says whether it still keeps to the protocol. aura_agent.py beside it says what `ask` can do.
"""

from aura_agent import Agent

agent = Agent()


@agent.action("count")
def count(ask):
    words = len(ask.read("text").split())
    ask.write("NAME.md", f"# Counted\n\n{words} words.\n")
    return ask.proceed(f"The text has {words} words.")


agent.run()
