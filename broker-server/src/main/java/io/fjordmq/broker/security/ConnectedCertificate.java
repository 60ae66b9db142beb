package io.fjordmq.broker.security;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * The certificate of a connected client.
 *
 * @param issuers the issuers of the certificate, up to one that the listener trusts
 * @param disconnect disconnects the client because its certificate is revoked; does not block, and
 *     can be called on any thread
 */
public record ConnectedCertificate(
    X509Certificate certificate, List<X509Certificate> issuers, Runnable disconnect) {}
