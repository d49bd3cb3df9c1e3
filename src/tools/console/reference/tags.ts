import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import { createUniqueNames } from '../../../shared/lib/unique-names.js'
import { slug, type ReferenceOperation } from './operations.js'
import { readList, readText } from './resolve.js'
import { words } from '../words.js'

export interface TagGroup {
  /** Unique within the page of the reference. */
  readonly id: string
  readonly title: string
  /** The titles of the groups around it. */
  readonly above: readonly string[]
  readonly description: string | undefined
  readonly externalDocs: unknown
  readonly operations: readonly ReferenceOperation[]
  /** Operations that have the tag too, and are under their first one. */
  readonly others: readonly ReferenceOperation[]
}

/** The operations by their first tag, in the document's order, then others; below `parent` or `x-tagGroups`. */
export function groupByTag(document: JsonObject, operations: readonly ReferenceOperation[]): TagGroup[] {
  const listed = readList(document['tags']).map(asObject)
  const described = new Map(listed.map((tag) => [readText(tag['name']), tag]))
  described.delete(undefined)
  const called = operations.filter(({ isWebhook }) => !isWebhook)
  // Undefined stands for operations without a tag.
  const names = new Set([...described.keys(), ...called.map(({ tag }) => tag), ...called.flatMap(listTags)])
  const isOnly = new Set(called.map(({ tag }) => tag)).size === 1
  const claimId = createUniqueNames(operations.map(({ key }) => key))
  const seen = new Set<string | undefined>()
  const groups: TagGroup[] = []

  function add(title: string, above: readonly string[], tag: JsonObject, own: Pick<TagGroup, 'operations' | 'others'>) {
    const description = readText(tag['description'])
    groups.push({
      id: claimId(`tag-${slug(title)}`),
      title,
      above,
      description,
      externalDocs: tag['externalDocs'],
      ...own,
    })
  }

  function findParent(name: string | undefined): string | undefined {
    const parent = readText(described.get(name)?.['parent'])
    return described.has(parent) ? parent : undefined
  }

  /** Adds a tag and those below it. A group without operations stays only as the heading of others. */
  function visit(name: string | undefined, above: readonly string[]): void {
    if (!names.has(name) || seen.has(name)) return
    seen.add(name)
    const tag = described.get(name) ?? asObject(undefined)
    const title =
      readText(tag['summary']) ??
      readText(tag['x-displayName']) ??
      name ??
      (isOnly ? words().operations : words().otherOperations)
    const own = called.filter((each) => each.tag === name)
    const others = called.filter((each) => each.tag !== name && listTags(each).includes(name))
    const at = groups.length
    add(title, above, tag, { operations: own, others })
    if (name !== undefined) for (const child of names) if (findParent(child) === name) visit(child, [...above, title])
    if (groups.length === at + 1 && own.length + others.length === 0) groups.pop()
  }

  for (const { name, tags } of readList(document['x-tagGroups']).map(asObject)) {
    const title = readText(name)
    const at = groups.length
    if (title !== undefined) add(title, [], asObject(undefined), { operations: [], others: [] })
    for (const tag of readList(tags)) visit(readText(tag), title === undefined ? [] : [title])
    if (title !== undefined && groups.length === at + 1) groups.pop()
  }
  for (const name of names) if (findParent(name) === undefined) visit(name, [])
  // Tags that are their own ancestors.
  for (const name of names) visit(name, [])
  const webhooks = operations.filter(({ isWebhook }) => isWebhook)
  if (webhooks.length > 0) add(words().webhooks, [], asObject(undefined), { operations: webhooks, others: [] })
  return groups
}

function listTags({ operation }: ReferenceOperation): (string | undefined)[] {
  return readList(operation['tags']).map(readText)
}
