"use strict";

const fs = require("node:fs");

class Board {
  constructor(file) {
    this.file = file;
    this.tasks = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : [];
  }

  add(title) {
    const task = { id: this.tasks.length + 1, title, done: false };
    this.tasks.push(task);
    return task;
  }

  finish(id) {
    const task = this.tasks.find((candidate) => candidate.id === id);
    if (task) task.done = true;
    return task;
  }

  open() {
    return this.tasks.filter((task) => !task.done);
  }

  save() {
    fs.writeFileSync(this.file, JSON.stringify(this.tasks, null, 2));
  }
}

module.exports = { Board };
