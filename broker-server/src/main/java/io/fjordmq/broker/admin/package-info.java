/**
 * Operator status and commands: {@code ClusterView} collects the nodes and ranges of the cluster,
 * {@code ClusterCommands} executes commands from the control folder. Those for voter counts, nodes
 * and ranges each have a class of their own.
 */
@NullMarked
package io.fjordmq.broker.admin;

import org.jspecify.annotations.NullMarked;
