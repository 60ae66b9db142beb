package io.fjordmq.broker.revocation;

/** The policy for certificates whose revocation status cannot be determined. */
public enum UnknownStatusPolicy {
  /** The client is refused. */
  DENY,
  /** The certificate counts as not revoked. */
  IGNORE
}
