package io.fjordmq.broker.config;

/** Where the effective value of a key comes from, in ascending order of precedence. */
public enum ConfigOrigin {
  /** The default. */
  DEFAULT,
  /** The configuration file. */
  FILE,
  /** A value that an operator set for the whole cluster through the API. */
  API,
  /** An environment variable of the process. */
  ENVIRONMENT,
  /** A system property of the process. */
  SYSTEM_PROPERTY,
  /** An option of the command line. */
  COMMAND_LINE
}
