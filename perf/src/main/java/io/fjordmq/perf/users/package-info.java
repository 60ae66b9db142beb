/**
 * The users of a broker under load, and the services in which the broker finds them: files, Redis,
 * SQL databases, an LDAP directory, an HTTP service, tokens, or the database of the cluster. Start
 * at {@link io.fjordmq.perf.users.UserService}. This package knows accounts and the configuration
 * of the broker, but not the topics and clients of a load.
 */
@NullMarked
package io.fjordmq.perf.users;

import org.jspecify.annotations.NullMarked;
