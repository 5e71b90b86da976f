package dev.weir.storage.database;

class ModelDatabaseTest extends DatabaseContract {
    private final ModelDatabase backend = new ModelDatabase(7);

    @Override
    protected HashDatabase open() {
        return backend;
    }
}
