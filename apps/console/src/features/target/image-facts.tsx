import type { ImageRead } from '@workly/core'
import { Code } from '#ui/code.tsx'

/** What runs in place of an image's own command and arguments; nothing where they are its own. */
export function ImageWords({ image: { command, args } }: { image: Pick<ImageRead, 'command' | 'args'> }) {
  return (
    <>
      {command && <Words name="Command" words={command} />}
      {args && <Words name="Arguments" words={args} />}
    </>
  )
}

function Words({ name, words }: { name: string; words: string[] }) {
  return (
    <div className="grid gap-1.5">
      <h3 className="text-[13px] font-medium">{name}</h3>
      <Code label={name.toLowerCase()} text={words.map(word => JSON.stringify(word)).join('\n')} wrap />
    </div>
  )
}

/** Where variables come from. */
export function Sources({ sources }: { sources: ImageRead['env_from'] }) {
  return (
    <ul>
      {sources.map(source => (
        <li key={`${source.secret} ${source.config_map} ${source.prefix}`}>
          {source.secret === undefined ? 'Config map' : 'Secret'}{' '}
          <span className="font-mono text-[13px]">{source.secret ?? source.config_map}</span>
          {source.prefix && (
            <>
              {' '}
              with prefix <span className="font-mono text-[13px]">{source.prefix}</span>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
