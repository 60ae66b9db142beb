@NullMarked
package io.fjordmq.auth;

import org.jspecify.annotations.NullMarked;
