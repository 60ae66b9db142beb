/**
 * Mutual TLS between the nodes of a cluster: {@link io.fjordmq.cluster.tls.ClusterTls}.
 *
 * <p>It must not know what is said over it.
 */
@NullMarked
package io.fjordmq.cluster.tls;

import org.jspecify.annotations.NullMarked;
