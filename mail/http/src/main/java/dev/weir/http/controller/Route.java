package dev.weir.http.controller;

import dev.weir.http.access.AccessLevel;

/**
 * An endpoint at a path.
 *
 * @param path in lower case
 * @param access the permission that it requires
 */
public record Route(String path, AccessLevel access, Endpoint endpoint) {}
