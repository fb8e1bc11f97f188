// Says what helps against a failure that is tried again, from its message: what is thrown comes from git, SQLite, the system and the CLIs.

const ADVICE: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/no space left|ENOSPC|EDQUOT|disk is full|quota exceeded/i, 'make room on the disk; it goes on by itself then'],
  [
    /artifacts\.s3.*it is about the file/,
    'see "fixwright doctor"; put right what is named there, or remove the file named there to go on without it',
  ],
  [
    /artifacts\.s3/,
    'look at the server of the bucket, its name and its keys with "fixwright doctor"; what waits lies in the home, and it goes on by itself then',
  ],
  [/FIXWRIGHT_HOME/, "put the home's folder back, or cancel the session"],
  [
    /not a git repository|cannot change to|repository.*(is gone|does not exist)|failed in \S+: .*(ENOENT|no such file)/i,
    'put the repository back where it was, or cancel the session',
  ],
  [
    /not reached|did not answer|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|getaddrinfo/i,
    "check the network, the proxy and the provider's address; it goes on by itself then",
  ],
  [
    /\b40[13]\b|unauthori[sz]ed|authentication|api key|credential|sign in/i,
    'sign in again, or set the key, where the instance was started',
  ],
]

export function adviseOnFailure(message: string): string | undefined {
  return ADVICE.find(([pattern]) => pattern.test(message))?.[1]
}
