import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 50));
setInterval(() => {}, 1000);

let stopping: Promise<void> | undefined;
async function shutdown(): Promise<void> {
  stopping ??= (async () => {
    await pause();
    process.exit(0);
  })();
  return stopping;
}

process.on("SIGTERM", () => shutdown());
process.stdin.on("end", () => shutdown());

export async function restart(): Promise<void> {
  await shutdown();
}
await server.connect(new StdioServerTransport());
