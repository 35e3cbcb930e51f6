#!/usr/bin/env node
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createServer } from "./server.js";
import { endWithClient } from "./shutdown.js";
import { ReadingList } from "./store.js";

const list = await ReadingList.open(process.env.READING_LIST ?? "reading-list.json");
const saving = setInterval(() => void list.save(), 10_000);

endWithClient(async () => {
  clearInterval(saving);
  await list.save();
});

await createServer(list).connect(new StdioServerTransport());
