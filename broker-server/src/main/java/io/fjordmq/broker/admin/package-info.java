/**
 * Status and commands for operators. {@code ClusterView} collects the state of the cluster's nodes
 * and ranges; {@code ClusterCommands} executes commands from the control directory. Each kind of
 * command (voter counts, nodes, ranges) has its own class.
 */
@NullMarked
package io.fjordmq.broker.admin;

import org.jspecify.annotations.NullMarked;
