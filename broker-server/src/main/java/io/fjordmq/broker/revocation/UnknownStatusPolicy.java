package io.fjordmq.broker.revocation;

/** What happens if it cannot be determined whether a certificate is revoked. */
public enum UnknownStatusPolicy {
  /** The client is refused. */
  DENY,
  /** The certificate counts as not revoked. */
  IGNORE
}
