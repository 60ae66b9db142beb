/**
 * The client of the REST API: where a node is, the credentials, requests, pages and errors.
 *
 * <p>Start at {@link io.fjordmq.cli.api.ApiClient}.
 */
@NullMarked
package io.fjordmq.cli.api;

import org.jspecify.annotations.NullMarked;
