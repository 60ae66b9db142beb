/**
 * Mutual TLS between the nodes of a cluster: {@link io.fjordmq.cluster.tls.ClusterTls}.
 *
 * <p>This package is independent of the protocols that use it.
 */
@NullMarked
package io.fjordmq.cluster.tls;

import org.jspecify.annotations.NullMarked;
