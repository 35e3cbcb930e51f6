#!/usr/bin/env node
"use strict";

const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");
const { z } = require("zod");
const { Board } = require("./board.js");

const board = new Board(process.env.TASK_BOARD || "tasks.json");
const server = new McpServer({ name: "task-board", version: "2.0.3" });

const text = (value) => ({ content: [{ type: "text", text: value }] });

server.registerTool(
  "add_task",
  { description: "Put a task on the board", inputSchema: { title: z.string() } },
  async ({ title }) => text(`Task ${board.add(title).id} is on the board.`),
);

server.registerTool(
  "finish_task",
  { description: "Mark a task as done", inputSchema: { id: z.number().int() } },
  async ({ id }) => text(board.finish(id) ? "Done." : "There is no such task."),
);

server.registerTool("open_tasks", { description: "What is left to do" }, async () =>
  text(board.open().map((task) => `${task.id}. ${task.title}`).join("\n") || "Nothing."),
);

process.on("SIGTERM", () => {
  console.error("task-board: saving before the end");
  board.save();
});

server.connect(new StdioServerTransport()).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
