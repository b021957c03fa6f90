type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> }

/** Without the fields that were left out, which a schema's type has as `undefined`. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>
}
