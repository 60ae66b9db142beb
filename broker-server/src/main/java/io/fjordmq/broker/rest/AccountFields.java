package io.fjordmq.broker.rest;

/** Limits of fields that users and API keys have in common. */
final class AccountFields {
  /** The pattern of a name, which needs no escaping in paths and in HTTP Basic authentication. */
  static final String NAME = "[A-Za-z0-9][A-Za-z0-9._@+-]*";

  static final String NAME_TEXT =
      "Letters, digits, '.', '_', '@', '+' and '-'; begins with a letter or digit";

  /** No control characters, such as line breaks. */
  static final String ONE_LINE = "[^\\u0000-\\u001f\\u007f-\\u009f]*";

  private AccountFields() {}
}
