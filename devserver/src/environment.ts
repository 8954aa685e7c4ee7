/** Environments of child processes. */
type Environment = NodeJS.ProcessEnv;

/** For a process that must not use the caller's cluster. */
export function withoutTemporalSettings(): Environment {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

/** For a build of pure Go code that uses the committed module file and nothing else. */
export function goBuildEnvironment(): Environment {
  return { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
}
