package dev.weir.storage.backend;

class ModelBackendTest extends BackendContract {
    private final ModelBackend backend = new ModelBackend(7);

    @Override
    protected Backend open() {
        return backend;
    }
}
