package io.fjordmq.broker.revocation;

import java.time.Instant;

/**
 * A revocation list that needs a successor, because it has expired or a tenth of its time is left.
 *
 * @param issuer the authority, as a distinguished name
 * @param file path of the file
 * @param expiresAt when it expires or has expired
 */
public record ExpiringList(String issuer, String file, Instant expiresAt) {}
