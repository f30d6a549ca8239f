// The least that a watch can do: asks for the newest calls every two seconds, and prints how many there are.
// bare-watch.mjs <url>
const [url] = process.argv.slice(2);

for (;;) {
  const response = await fetch(`${url}/get-call-logs?limit=100&agent_id=3`);
  const { calls, total } = await response.json();
  process.stdout.write(`${calls.length} of ${total}\n`);
  await new Promise((resolve) => setTimeout(resolve, 2000));
}
