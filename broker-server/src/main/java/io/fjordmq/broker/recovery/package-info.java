/**
 * Recovery of a stopped node whose cluster, or one of whose ranges, has permanently lost its
 * majority. {@link io.fjordmq.broker.recovery.RecoveryProgram} is what the command line runs;
 * {@link io.fjordmq.broker.recovery.OfflineReplicas} opens the replicas of the node without a
 * network.
 *
 * <p>For the reasons behind the design, see docs/decisions/0104.
 */
@NullMarked
package io.fjordmq.broker.recovery;

import org.jspecify.annotations.NullMarked;
