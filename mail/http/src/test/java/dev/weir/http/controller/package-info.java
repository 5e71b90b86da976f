/** Endpoints in front of a scanner that answers as told. */
@NullMarked
package dev.weir.http.controller;

import org.jspecify.annotations.NullMarked;
