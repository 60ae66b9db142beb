/**
 * The database of MQTT users: users, groups and rules that operators keep in the cluster, for
 * providers of type {@code database} and {@code scram}.
 *
 * <p>The metadata group replicates the records. Logins and rules are read from the metadata in the
 * memory of this node, so they wait for no other node.
 */
@NullMarked
package io.fjordmq.broker.userdb;

import org.jspecify.annotations.NullMarked;
