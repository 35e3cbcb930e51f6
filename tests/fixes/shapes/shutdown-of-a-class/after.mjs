import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

setInterval(() => {}, 1000);
const pause = () => new Promise((done) => setTimeout(done, 50));

let stopping = false;
class App {
  server = new McpServer({ name: "shape", version: "1.0.0" });

  constructor() {
    process.on("SIGTERM", () => this.stop());
    process.stdin.once("end", () => this.stop());
    process.stdin.once("close", () => this.stop());
    process.stdin.once("error", () => this.stop());
    if (process.stdin.readableEnded || process.stdin.destroyed) this.stop();
    process.once("SIGINT", () => this.stop());
  }

  async stop() {
    if (stopping) return;
    stopping = true;
    await pause();
    process.exit(0);
  }

  async run() {
    await this.server.connect(new StdioServerTransport());
  }
}

await new App().run();
