/**
 * Revocation of client certificates: revocation lists in files (CRL, RFC 5280) and requests to the
 * responder of a certificate authority (OCSP, RFC 6960). Knows certificates, but neither clients
 * nor TLS connections.
 */
@NullMarked
package io.fjordmq.broker.revocation;

import org.jspecify.annotations.NullMarked;
