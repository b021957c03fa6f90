type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> }

/** Removes the fields that were left out. The type of a schema has them as `undefined`. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>
}
