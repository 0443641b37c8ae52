#!/usr/bin/env python3
"""Asks Aura for the next free hours and, where a chat is named, to mute it for half an hour. Needs `pip install mcp`.

usage: AURA_DEVICE_TOKEN=TOKEN mcp_ask.py [CHAT]
"""

import asyncio
import os
import sys
from datetime import datetime, timezone

from mcp import Client, StdioServerParameters

# A client library passes on only the variables that it is told to.
PASSED = {name: value for name, value in os.environ.items() if name.startswith("AURA_") or name == "PATH"}
AURA = StdioServerParameters(command="aura", args=["mcp"], env=PASSED)


async def main():
    async with Client(AURA) as aura:
        tools = await aura.list_tools()
        print("It may:", ", ".join(tool.name for tool in tools.tools))
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        free = await aura.call_tool("calendar_suggest_slots", {"duration_min": 60, "after": now})
        if free.structured_content is None:
            print(free.content[0].text)
            return
        for slot in free.structured_content["slots"]:
            print("Free:", slot["start"], "to", slot["end"])
        for name in sys.argv[1:]:
            await mute(aura, name)


async def mute(aura, name):
    listed = await aura.call_tool("aura_askable_things", {})
    chats = {thing["label"]: thing["id"] for thing in listed.structured_content["things"]}
    if name not in chats:
        print(f"{name}: this program may not name it; it may name {', '.join(chats) or 'none'}")
        return
    asked = await aura.call_tool("comms_mute_channel", {"channel_hash": chats[name]})
    if asked.structured_content is None:
        print(f"{name}: {asked.content[0].text}")
        return
    print(f"{name}: {asked.structured_content['says']}")


asyncio.run(main())
