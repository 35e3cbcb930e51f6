import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import type { ReadingList } from "./store.js";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

export function createServer(list: ReadingList): McpServer {
  const server = new McpServer({ name: "reading-list", version: "1.2.0" });

  server.registerTool(
    "add",
    { description: "Put an article on the list", inputSchema: { url: z.string().url(), title: z.string() } },
    async ({ url, title }) => {
      list.add(url, title);
      return text(`Added "${title}".`);
    },
  );

  server.registerTool(
    "finish",
    { description: "Mark an article as read", inputSchema: { url: z.string().url() } },
    async ({ url }) => text(list.finish(url) ? "Done." : "That article is not on the list."),
  );

  server.registerTool("unread", { description: "What is still to be read" }, async () =>
    text(list.unread().map((item) => `${item.title} (${item.url})`).join("\n") || "Nothing."),
  );

  return server;
}
