/**
 * The command that makes a first job, as the guide has it.
 * @param url where the API is, such as `http://localhost:7337`
 * @param needsKey false where the embedded default takes a call from this machine without one
 */
export function firstJobCommand(url: string, needsKey: boolean): string {
  const base = url.replace(/^http:\/\//, '')
  const key = needsKey ? ' \\\n  -H "Authorization: Bearer $WORKLY_API_KEY"' : ''
  return `curl -X PUT ${base}/v1/jobs/nightly-report${key} -d '{
  "cron": "0 3 * * *",
  "timezone": "Europe/Stockholm",
  "url": "https://api.example.com/reports/nightly",
  "payload": {"kind": "daily"}
}'`
}
