/**
 * Authentication and authorization of clients.
 *
 * <p>Start at {@link io.fjordmq.broker.security.Security}: it runs the chain of authenticators and
 * gives each accepted client its {@link io.fjordmq.broker.security.ClientAccess}. Built in are the
 * password file, the ACL file, user names from certificates and anonymous access; plugins add to
 * them. This package uses neither sessions nor Netty.
 */
@NullMarked
package io.fjordmq.broker.security;

import org.jspecify.annotations.NullMarked;
