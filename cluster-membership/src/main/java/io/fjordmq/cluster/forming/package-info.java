/**
 * Empty nodes that form a cluster (decision 0099): a node with an empty data directory and {@code
 * expectNodes} finds a cluster to join, or founds one together with others.
 *
 * <p>Start at {@code ClusterFormation}, the rules, which run on any {@code Timers}; {@code
 * FormationRun} connects them to the cluster port and blocks until they decide. {@code
 * FormingState} is what a node must not forget, {@code WaitingNode} what it tells others, {@code
 * SeenNodes} what it has seen in one round.
 *
 * <p>This package does not know what a cluster is: the founder creates it afterward like a node
 * with {@code bootstrap: true}.
 */
@NullMarked
package io.fjordmq.cluster.forming;

import org.jspecify.annotations.NullMarked;
