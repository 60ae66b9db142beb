@NullMarked
package io.fjordmq.api.auth;

import org.jspecify.annotations.NullMarked;
