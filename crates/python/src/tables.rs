//! Tables in memory, which other libraries read through the Arrow C data interface without copying them.

use std::collections::HashMap;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchReader};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::Refused;

/// A table of Arrow arrays, each column in one piece of memory.
#[pyclass(frozen, module = "netloom._native")]
pub struct ArrowTable {
    batch: RecordBatch,
}

impl ArrowTable {
    /// A table of this batch.
    pub fn new(batch: RecordBatch) -> ArrowTable {
        ArrowTable { batch }
    }
}

#[pymethods]
impl ArrowTable {
    /// Number of rows.
    #[getter]
    fn height(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Unit and meaning of each column.
    fn meanings(&self) -> Vec<(String, String, String)> {
        let schema = self.batch.schema();
        let fields = schema.fields().iter();
        let of =
            |metadata: &HashMap<String, String>, key: &str| metadata.get(key).cloned().unwrap_or_default();
        fields
            .map(|field| {
                let metadata = field.metadata();
                (field.name().clone(), of(metadata, "unit"), of(metadata, "meaning"))
            })
            .collect()
    }

    /// Bytes in memory.
    #[getter]
    fn bytes(&self) -> usize {
        self.batch.get_array_memory_size()
    }

    /// Address and size in memory of the values of each column whose values have a fixed width.
    fn addresses(&self) -> Vec<(String, usize, usize)> {
        let schema = self.batch.schema();
        let columns = schema.fields().iter().zip(self.batch.columns());
        let fixed = columns.filter(|(field, _)| field.data_type().primitive_width().is_some());
        let buffer = |column: &dyn Array| {
            let data = column.to_data();
            data.buffers().first().map_or((0, 0), |buffer| (buffer.as_ptr() as usize, buffer.len()))
        };
        fixed
            .map(|(field, column)| {
                let (address, length) = buffer(column);
                (field.name().clone(), address, length)
            })
            .collect()
    }

    /// The table as an Arrow C stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A producer may ignore the schema that was requested.
        drop(requested_schema);
        let reader = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let reader: Box<dyn RecordBatchReader + Send> = Box::new(reader);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }

    /// The schema of the table as an Arrow C schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref());
        let schema = schema.map_err(|error| Refused::panic(&error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }
}
