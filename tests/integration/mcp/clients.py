"""Programs of others that speak the Model Context Protocol, as their own libraries do: `mcp` and `fastmcp` from PyPI.

usage: clients.py HOW URL AURA

HOW: `new` (mcp, the newest version over HTTP), `old` (mcp, with initialize), `stdio` (mcp, through the command AURA), `fast` (fastmcp). The
token is in AURA_DEVICE_TOKEN. Prints a line of JSON for each thing that happened, so that the test can act as the owner meanwhile. Whatever
is asked of this client's user is accepted: nothing may come of that.
"""

import asyncio
import json
import os
import sys

import fastmcp
import mcp
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

HOW, URL, AURA = sys.argv[1:4]
TOKEN = os.environ["AURA_DEVICE_TOKEN"]
SLOTS = {"duration_min": 60, "after": "2026-01-05T08:00:00Z"}
# What a program might try to send along with a yes.
YES = {"confirm": True, "act": "confirm", "capability": "0" * 64}


def tell(**what):
    print(json.dumps(what), flush=True)


def shown(params):
    tell(shown=getattr(params, "url", None), mode=getattr(params, "mode", None))


async def accept(_context, params):
    shown(params)
    return mcp.types.ElicitResult(action="accept", content=YES)


async def accept_fast(_message, _type, params, _context):
    shown(params)
    return mcp.types.ElicitResult(action="accept", content=YES)


async def progress(step, total, message):
    tell(progress=step, total=total, says=message)


async def free_hours(client):
    """Aura may not have read the calendar yet."""
    for _ in range(20):
        try:
            read = await client.call_tool("calendar_suggest_slots", SLOTS)
        except fastmcp.exceptions.ToolError:
            read = None
        if read is not None and read.structured_content is not None:
            return read
        await asyncio.sleep(0.2)
    raise SystemExit("no free hours")


async def with_mcp(server, mode):
    async with mcp.Client(server, mode=mode, elicitation_callback=accept) as client:
        tell(version=client.protocol_version)
        tools = (await client.list_tools()).tools
        tell(tools=[tool.name for tool in tools])
        resources = (await client.list_resources()).resources
        now = await client.read_resource("aura://now")
        tell(resources=[str(one.uri) for one in resources], now=json.loads(now.contents[0].text))
        prompt = await client.get_prompt("my_day")
        tell(prompt=prompt.messages[0].role)
        read = await free_hours(client)
        tell(slots=read.structured_content)
        refused = await client.call_tool("calendar_suggest_slots", {"duration_min": 1, "after": "soon"})
        tell(refused=refused.is_error, says=refused.content[0].text)
        tell(proposing=True)
        end = await client.call_tool("wellness_permit_leisure", {}, progress_callback=progress)
        while end.structured_content["state"] in ("queued", "asking"):
            tell(waits=end.structured_content)
            state = {"ask": end.structured_content["ask"], "wait_seconds": 20}
            end = await client.call_tool("aura_ask_state", state)
        tell(end=end.structured_content, is_error=end.is_error)


async def with_fastmcp():
    async with fastmcp.Client(URL, auth=TOKEN, elicitation_handler=accept_fast) as client:
        tell(tools=[tool.name for tool in await client.list_tools()])
        read = await free_hours(client)
        tell(slots=read.structured_content)
        tell(proposing=True)
        end = await client.call_tool("wellness_permit_leisure", {})
        while end.structured_content["state"] in ("queued", "asking"):
            tell(waits=end.structured_content)
            state = {"ask": end.structured_content["ask"], "wait_seconds": 20}
            end = await client.call_tool("aura_ask_state", state)
        tell(end=end.structured_content, is_error=end.is_error)


async def main():
    if HOW == "fast":
        await with_fastmcp()
    elif HOW == "stdio":
        env = {"AURA_DEVICE_TOKEN": TOKEN, "AURA_MCP_URL": URL}
        await with_mcp(mcp.StdioServerParameters(command=AURA, args=["mcp"], env=env), "auto")
    else:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with create_mcp_http_client(headers=headers) as http:
            server = streamable_http_client(URL, http_client=http)
            await with_mcp(server, "legacy" if HOW == "old" else "auto")


asyncio.run(main())
