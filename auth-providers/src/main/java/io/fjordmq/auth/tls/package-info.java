/** Certificates and keys for connections to services. */
@NullMarked
package io.fjordmq.auth.tls;

import org.jspecify.annotations.NullMarked;
