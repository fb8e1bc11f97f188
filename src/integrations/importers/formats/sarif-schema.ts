// The part of SARIF 2.1.0 that findings are made of.
import { z } from 'zod'
import { lenientList, optional } from '../parse-with-schema.ts'

const Text = optional(z.object({ text: optional(z.string()) }))
const Properties = optional(z.looseObject({}))

export const SarifMessage = z.object({
  text: optional(z.string()),
  id: optional(z.string()),
  arguments: lenientList(z.string()),
})
export type SarifMessage = z.infer<typeof SarifMessage>

export const ArtifactLocation = z.object({
  uri: optional(z.string()),
  uriBaseId: optional(z.string()),
  index: optional(z.number()),
})
export type ArtifactLocation = z.infer<typeof ArtifactLocation>

export const SarifLocation = z.object({
  physicalLocation: optional(
    z.object({
      artifactLocation: optional(ArtifactLocation),
      region: optional(
        z.object({
          startLine: optional(z.number()),
          endLine: optional(z.number()),
          startColumn: optional(z.number()),
          snippet: Text,
        }),
      ),
    }),
  ),
})
export type SarifLocation = z.infer<typeof SarifLocation>

const MessageStrings = optional(z.record(z.string(), z.object({ text: optional(z.string()) })))

export const SarifRule = z.object({
  id: optional(z.string()),
  shortDescription: Text,
  fullDescription: Text,
  helpUri: optional(z.string()),
  defaultConfiguration: optional(z.object({ level: optional(z.string()) })),
  messageStrings: MessageStrings,
  relationships: lenientList(
    z.object({
      target: optional(
        z.object({ id: optional(z.string()), toolComponent: optional(z.object({ name: optional(z.string()) })) }),
      ),
    }),
  ),
  properties: Properties,
})
export type SarifRule = z.infer<typeof SarifRule>

const Component = z.object({
  name: optional(z.string()),
  rules: lenientList(SarifRule),
  globalMessageStrings: MessageStrings,
})

export const SarifResult = z.object({
  ruleId: optional(z.string()),
  ruleIndex: optional(z.number()),
  rule: optional(
    z.object({
      id: optional(z.string()),
      index: optional(z.number()),
      toolComponent: optional(z.object({ index: optional(z.number()) })),
    }),
  ),
  kind: optional(z.string()),
  level: optional(z.string()),
  message: SarifMessage,
  locations: lenientList(SarifLocation),
  relatedLocations: lenientList(SarifLocation),
  suppressions: lenientList(z.object({ status: optional(z.string()) })),
  baselineState: optional(z.string()),
  partialFingerprints: optional(z.record(z.string(), z.string())),
  fingerprints: optional(z.record(z.string(), z.string())),
  fixes: lenientList(z.object({ description: Text })),
  properties: Properties,
})
export type SarifResult = z.infer<typeof SarifResult>

export const SarifRun = z.object({
  tool: z.object({ driver: Component, extensions: lenientList(Component) }),
  results: lenientList(SarifResult),
  artifacts: lenientList(z.object({ location: optional(ArtifactLocation) })),
  originalUriBaseIds: optional(z.record(z.string(), ArtifactLocation)),
  invocations: lenientList(
    z.object({
      executionSuccessful: optional(z.boolean()),
      workingDirectory: optional(ArtifactLocation),
      toolExecutionNotifications: lenientList(z.object({ level: optional(z.string()) })),
    }),
  ),
})
export type SarifRun = z.infer<typeof SarifRun>

export const SarifReport = z.object({ runs: z.array(SarifRun) })
