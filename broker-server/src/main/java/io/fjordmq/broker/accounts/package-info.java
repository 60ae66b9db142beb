/**
 * Accounts of the REST API: users, API keys, roles, tokens and audit records.
 *
 * <p>Accounts are records of the metadata group, so every node has all of them in memory. This
 * package knows neither HTTP nor JSON.
 */
@NullMarked
package io.fjordmq.broker.accounts;

import org.jspecify.annotations.NullMarked;
