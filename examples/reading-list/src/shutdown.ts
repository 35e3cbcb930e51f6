const DEADLINE = 2_000;

/** Runs `cleanUp` once and ends the process, when the client is gone or a signal asks for it. */
export function endWithClient(cleanUp: () => Promise<void>): void {
  let ending = false;

  const end = async (): Promise<void> => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), DEADLINE).unref();
    try {
      await cleanUp();
    } finally {
      process.exit(0);
    }
  };

  process.stdin.on("end", end);
  process.stdin.on("close", end);
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
}
