package io.fjordmq.broker.net;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A certificate that this node presents to its clients.
 *
 * @param user the configuration key of the listener or section that uses it, such as {@code
 *     mqttServerConfig.tlsListener}
 * @param file path of the certificate file
 * @param expiresAt when the certificate in use expires
 * @param rejection why changed files could not be loaded, so that the previous certificate is still
 *     in use; null if the files are in use
 */
public record CertificateStatus(
    String user, String file, Instant expiresAt, @Nullable String rejection) {}
