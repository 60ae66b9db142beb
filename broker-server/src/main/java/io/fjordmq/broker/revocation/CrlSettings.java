package io.fjordmq.broker.revocation;

/**
 * Revocation lists of client certificates.
 *
 * @param path file with revocation lists, or directory of such files, in PEM or DER format; empty
 *     for none
 * @param onError what happens if there is no valid list of the issuer of a certificate
 */
public record CrlSettings(String path, UnknownStatusPolicy onError) {
  /** No revocation lists. */
  public static final CrlSettings DEFAULTS = new CrlSettings("", UnknownStatusPolicy.DENY);
}
