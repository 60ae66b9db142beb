/**
 * The REST API for operators, version 5. Start reading at {@link io.fjordmq.broker.rest.RestApi}.
 *
 * <p>Each noun of the API is a {@link io.fjordmq.broker.rest.Resource} that declares its {@link
 * io.fjordmq.broker.rest.Operation operations}. Routing, validation, authorization and the OpenAPI
 * description are derived from the declarations, so they cannot disagree. Bodies and responses are
 * records; {@link io.fjordmq.broker.rest.Field} describes their components.
 *
 * <p>This package does not know the HTTP server, Netty, the stores or the metadata (decision 0064).
 */
@NullMarked
package io.fjordmq.broker.rest;

import org.jspecify.annotations.NullMarked;
